import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Checks each relative link and picture in Markdown files, with the anchors that they name. */
export function deadLinksOfMarkdown(folder: string, paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    const file = join(folder, path);
    return linksOf(readFileSync(file, 'utf8')).flatMap((link) => {
      const [address = '', anchor = ''] = link.split('#').map(decodeURIComponent);
      const target = address === '' ? file : join(dirname(file), address);
      if (!existsSync(target)) return [`${path}: ${link} leads to no file`];
      if (relative(folder, target).startsWith('..')) return [`${path}: ${link} leads out of the repository`];
      if (anchor === '' || !target.endsWith('.md')) return [];
      return anchorsOf(readFileSync(target, 'utf8')).has(anchor)
        ? []
        : [`${path}: ${link} leads to no anchor`];
    });
  });
}

function linksOf(text: string): readonly string[] {
  const prose = withoutFences(text).replaceAll(/`[^`\n]*`/g, '');
  return [
    ...prose.matchAll(
      /\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]: *(\S+)|<(?:img|a)\s[^>]*(?:src|href)="([^"]*)"/gm,
    ),
  ]
    .map(([, inline, reference, html]) => inline ?? reference ?? html ?? '')
    .filter((link) => !/^[a-z][a-z+.-]*:/i.test(link));
}

/** The anchors that GitHub and npm give to the headings of a text. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutFences(text).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = slugOf(heading);
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

function slugOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Mark}\p{Number}\p{Connector_Punctuation}\- ]/gu, '')
    .replaceAll(' ', '-');
}

function withoutFences(text: string): string {
  return text.replaceAll(/^( *)(`{3,})[^\n]*\n[\s\S]*?^ *\2$/gm, '');
}
