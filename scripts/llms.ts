import { readdir, readFile, writeFile } from 'node:fs/promises';
import { readGuides } from './guides.js';

/**
 * Writes `llms.txt`: what is in the package for a reader that has little time, such as a coding agent. See https://llmstxt.org. It is
 * made from the guides at each build, and is not committed.
 */
const { name, version, description } = JSON.parse(await readFile('package.json', 'utf8'));
const guides = readGuides();
const skills = (await readdir('skills')).toSorted();

const sections = [...new Set(guides.map(({ section }) => section))].map((section) =>
  [
    `## ${section}`,
    guides
      .filter((guide) => guide.section === section)
      .map(({ title, path, summary }) => `- [${title}](${path}): ${summary}`)
      .join('\n'),
  ].join('\n\n'),
);

await writeFile(
  'llms.txt',
  `${[
    `# ${name}`,
    `> ${description}`,
    `This is the documentation of version ${version}. The paths are relative to this file. The types in \`dist/*.d.cts\` have a doc comment on every symbol.`,
    ...sections,
    `## Skills

Each is a page of rules and pitfalls for a coding agent.

${skills.map((skill) => `- [${skill}](skills/${skill}/SKILL.md)`).join('\n')}`,
    `## Reference

- [README](README.md): What the package does, with an example of each use.
- [The contract ledger](docs/contract.md): Each statement of the service's document, and each open question with the choice made here.
- [OpenAPI document](openapi.json): The service as an OpenAPI 3.1 document.
- [Changes](CHANGELOG.md): What changed in each version.`,
  ].join('\n\n')}\n`,
);
