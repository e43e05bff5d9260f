import type { Guide } from '../guides.js';

/** `llms.txt`: what is in the package for a reader that has little time, such as a coding agent. See https://llmstxt.org. */
export function llmsIndex(
  {
    name,
    version,
    description,
  }: { readonly name: string; readonly version: string; readonly description: string },
  guides: readonly Guide[],
  skills: readonly string[],
): string {
  const sections = [...new Set(guides.map(({ section }) => section))].map((section) =>
    [
      `## ${section}`,
      guides
        .filter((guide) => guide.section === section)
        .map(({ title, path, summary }) => `- [${title}](${path}): ${summary}`)
        .join('\n'),
    ].join('\n\n'),
  );
  return `${[
    `# ${name}`,
    `> ${description}`,
    `This is the documentation of version ${version}. The paths are relative to this file. The types in \`dist/*.d.cts\` have a doc comment on every symbol.`,
    ...sections,
    `## Skills

Each is a page of rules and pitfalls for a coding agent.

${skills.map((name) => `- [${name}](skills/${name}/SKILL.md)`).join('\n')}`,
    `## Reference

- [README](README.md): What the package does, with an example of each use.
- [The contract ledger](docs/contract.md): Each statement of the service's document, and each open question with the choice made here.
- [OpenAPI document](openapi.json): The service as an OpenAPI 3.1 document.
- [Changes](CHANGELOG.md): What changed in each version.`,
  ].join('\n\n')}\n`;
}
