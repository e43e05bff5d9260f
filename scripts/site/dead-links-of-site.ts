import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { JSDOM } from 'jsdom';

/** A link of a page that leads nowhere. */
export interface DeadLink {
  readonly page: string;
  readonly link: string;
  readonly reason: string;
}

interface Page {
  readonly links: ReadonlySet<string>;
  readonly anchors: ReadonlySet<string>;
}

/**
 * Checks each link, picture, script and style sheet of each page in a folder, with the anchors that links name. Does not follow
 * links to other hosts.
 */
export function deadLinksOfSite(folder: string): readonly DeadLink[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const withAnchors = files.filter((path) => /\.(html|svg)$/.test(path));
  const pages = new Map(withAnchors.map((path) => [path, readPage(join(folder, path))]));
  const present = new Set(files);
  const reasonAgainst = (page: string, link: string) => {
    const isElsewhere = /^[a-z][a-z+.-]*:/i.test(link);
    if (isElsewhere) return undefined;
    const [address = '', anchor = ''] = link.split('#').map(decodeURIComponent);
    const [path = ''] = address.split('?');
    const target = path === '' ? page : fileOf(posix.join(posix.dirname(page), path));
    if (!present.has(target)) return 'leads to no file';
    if (anchor !== '' && pages.get(target)?.anchors.has(anchor) !== true) return 'leads to no anchor';
    return undefined;
  };
  return [...pages].flatMap(([page, { links }]) =>
    [...links].flatMap((link) => {
      const reason = reasonAgainst(page, link);
      return reason === undefined ? [] : [{ page, link, reason }];
    }),
  );
}

/** A folder is its index page. */
function fileOf(path: string): string {
  return path === '.' || path === './' ? 'index.html' : path.replace(/\/$/, '/index.html');
}

function readPage(file: string): Page {
  const links = new Set<string>();
  const anchors = new Set<string>();
  const fragment = JSDOM.fragment(readFileSync(file, 'utf8'));
  for (const element of fragment.querySelectorAll('[href], [src], [id]')) {
    for (const { name, value } of element.attributes) {
      if (name === 'href' || name === 'src') links.add(value);
      if (name === 'id') anchors.add(value);
    }
  }
  return { links, anchors };
}
