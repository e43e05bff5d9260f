import { readFileSync, statSync } from 'node:fs';
import { extname, relative } from 'node:path';
import {
  type Application,
  Converter,
  type DeclarationReflection,
  DocumentReflection,
  type ProjectReflection,
  ReflectionGroup,
} from 'typedoc';
import { guideIndex, readGuides } from '../guides.js';

/** The documents beside the guides, in reading order: the file, or the folder of several, and the heading in the navigation. */
const otherDocuments = [
  { path: 'examples/shared-service/README.md', group: 'Run the reference server' },
  { path: 'docs/contract.md', group: 'Project' },
  { path: 'docs/receiver-promises.md', group: 'Receive webhooks' },
  { path: 'docs/operations.md', group: 'Run the reference server' },
  { path: 'docs/performance.md', group: 'Project' },
  { path: 'CHANGELOG.md', group: 'Project' },
  { path: 'CONTRIBUTING.md', group: 'Project' },
  { path: 'SECURITY.md', group: 'Project' },
  { path: 'NODE_VERSION_POLICY.md', group: 'Project' },
  { path: 'THIRD_PARTY_NOTICES.md', group: 'Project' },
  { path: 'docs/decisions/README.md', group: 'Decisions' },
  { path: 'docs/decisions/', group: 'Decisions' },
];

/** Titles of documents whose own heading says something else. */
const titles: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'Changelog',
  [guideIndex]: 'All guides',
};

const modulesGroup = 'API';

/** What a linked file is rendered as, by the end of its name. Other files, such as pictures, are copied. */
const languages: Readonly<Record<string, string>> = {
  '.cjs': 'js',
  '.csv': 'text',
  '.js': 'js',
  '.json': 'json',
  '.mjs': 'js',
  '.mts': 'ts',
  '.ts': 'ts',
  '.txt': 'text',
  '.yaml': 'yaml',
  '.yml': 'yaml',
};

const paths = new WeakMap<DocumentReflection, string>();

/** The file of a document, relative to the repository. */
export function pathOfDocument(document: DocumentReflection): string {
  const path = paths.get(document);
  if (path === undefined) throw new Error(`The document ${document.name} has no file.`);
  return path;
}

/** Titles the documents by their headings, orders the navigation, and makes pages of the source files that they link. */
export function addDocuments(application: Application): void {
  application.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
    const file = document.project.files.getReflectionPath(document);
    if (file === undefined) return;
    paths.set(document, relative(process.cwd(), file));
    const title = titles[pathOfDocument(document)];
    document.name = title ?? headingOf(document) ?? document.name;
    if (title !== undefined) replaceHeading(document, title);
  });
  application.converter.on(
    Converter.EVENT_RESOLVE_END,
    ({ project }) => {
      addLinkedSources(project);
      groupProject(application, project);
    },
    100,
  );
}

function headingOf(document: DocumentReflection): string | undefined {
  const text = document.content.map((part) => part.text).join('');
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '');
}

function replaceHeading(document: DocumentReflection, title: string): void {
  const part = document.content.find(({ text }) => text.startsWith('# '));
  if (part !== undefined) part.text = part.text.replace(/^# .+$/m, `# ${title}`);
}

/** Gives each linked source file a page that shows it, so that a link into `examples/` leads to readable code. */
function addLinkedSources(project: ProjectReflection): void {
  for (const file of [...project.files.getMediaPaths()]) {
    const language = languages[extname(file)];
    if (language === undefined || !statSync(file).isFile()) continue;
    const path = relative(process.cwd(), file);
    const heading = path.replaceAll('/', '/<wbr>');
    const text = `# ${heading}\n\n\`\`\`${language}\n${readFileSync(file, 'utf8').trimEnd()}\n\`\`\`\n`;
    const document = new DocumentReflection(path, project, [{ kind: 'text', text }], {});
    paths.set(document, path);
    project.addChild(document);
    project.registerReflection(document, undefined, file);
  }
}

/** The index of the decisions does not name them, because their folder does. The site has no folders to look at. */
function listDecisions(documents: ReadonlyMap<string, DocumentReflection>): void {
  const entries = [...documents]
    .map(([path, { name }]) => ({ name, file: /^docs\/decisions\/(?!README)(.*)\.md$/.exec(path)?.[1] }))
    .flatMap(({ name, file }) => (file === undefined ? [] : [`- [${name}](${file}.html)`]));
  const list = `\n\n${entries.join('\n')}\n`;
  documents.get('docs/decisions/README.md')?.content.push({ kind: 'text', text: list });
}

function groupProject(application: Application, project: ProjectReflection): void {
  const guides = readGuides();
  const sections = [...new Set(guides.map(({ section }) => section))];
  const groups = [...sections, modulesGroup, 'Project', 'Decisions'].map(
    (title) => new ReflectionGroup(title, project),
  );
  const put = (title: string, member: DeclarationReflection | DocumentReflection | undefined) => {
    if (member !== undefined) groups.find((group) => group.title === title)?.children.push(member);
  };
  const documents = new Map(
    (project.documents ?? []).map((document) => [pathOfDocument(document), document]),
  );
  const take = (path: string) => {
    const document = documents.get(path);
    documents.delete(path);
    return document;
  };
  put(sections[0] ?? modulesGroup, take(guideIndex));
  listDecisions(documents);
  for (const { path, section } of guides) put(section, take(path));
  for (const { path, group } of otherDocuments) {
    for (const found of [...documents.keys()].filter((key) => key.startsWith(path)).toSorted()) {
      put(group, take(found));
    }
  }
  for (const path of documents.keys()) {
    if (path.endsWith('.md')) application.logger.error(`${path} has no place in the navigation.`);
  }
  for (const module of project.children ?? []) put(modulesGroup, module);
  project.groups = groups;
}
