/**
 * Rewrites the targets of the links and the pictures in Markdown, outside of code. Where `rewrite` returns undefined, only the text
 * of the link stays, or the alternative text of the picture.
 */
export function withLinks(markdown: string, rewrite: (target: string) => string | undefined): string {
  return markdown.replaceAll(
    codeOrLink,
    (match, _ticks: unknown, picture: string = '', text?: string, target?: string) => {
      if (text === undefined || target === undefined) return match;
      const shown = picture === '' ? withLinks(text, rewrite) : text;
      const rewritten = rewrite(target);
      if (rewritten !== undefined) return `${picture}[${shown}](${rewritten})`;
      return picture === '' ? shown : `*Picture: ${shown}*`;
    },
  );
}

/** The targets of the links and the pictures in Markdown, outside of code. */
export function linksIn(markdown: string): readonly string[] {
  const targets: string[] = [];
  withLinks(markdown, (target) => {
    targets.push(target);
    return target;
  });
  return targets;
}

/** A fenced block, code in a line, or a link: `[text](target)`, whose text may hold a picture. */
const codeOrLink =
  /^ *```[\s\S]*?^ *```$|(`+)(?:(?!\1)[\s\S])+\1|(!?)\[((?:[^[\]]|!?\[[^\]]*\](?:\([^)]*\))?)*)\]\(([^()\s]+)\)/gm;

/** Whether a target is a path, and not an address, or a place in the same page. */
export function isRelative(target: string): boolean {
  return !/^([a-z][a-z+.-]*:|\/\/|#)/i.test(target);
}
