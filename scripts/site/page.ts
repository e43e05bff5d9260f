import { posix } from 'node:path';
import { type Application, PageEvent } from 'typedoc';

/** Mends the HTML of TypeDoc's theme on each page. */
export function mendPages(application: Application): void {
  application.renderer.on(PageEvent.END, (page) => {
    const html = withLargePictures(withSymbols(withBreakableTitle(withMainLandmark(page.contents ?? ''))));
    page.contents = withLinkedLedger(withDescribedReexports(html, page.url), page.url);
  });
}

/** Screen readers jump to the main part of a page. */
function withMainLandmark(html: string): string {
  return html.replace('<div class="col-content">', '<div class="col-content" role="main">');
}

/** On a narrow screen, a title breaks before a capital letter within a name, and after a slash. */
function withBreakableTitle(html: string): string {
  return html.replace(/(?<=<h1>)[^<]+/, (title) => title.replace(/(?<=[a-z\d](?=[A-Z])|\w\/)/g, '<wbr>'));
}

/** TypeDoc writes the signature of a member with a symbol as that of a text. */
function withSymbols(html: string): string {
  return html.replaceAll(/&quot;\[(\w+)\]&quot;/g, '[Symbol.$1]');
}

/** On a telephone, a reader opens a picture to see its details. */
function withLargePictures(html: string): string {
  return html.replaceAll(/<img src="([^"]*)"[^>]*>/g, '<a href="$1">$&</a>');
}

/** A comment names the ledger by its file, for readers of the sources. */
function withLinkedLedger(html: string, url: string): string {
  const ledger = posix.join(posix.relative(posix.dirname(url), '.'), 'contract.html');
  return html.replaceAll('(docs/contract.md)', `(<a href="${ledger}">docs/contract.md</a>)`);
}

const reexport =
  /<span>([^<]+)<\/span><span>\s→\s<\/span>(<a href="([^"]+)">\1<\/a>)(.*?)<dd class="tsd-member-summary"><\/dd>/gs;

/** Says where a symbol comes from that several import paths export. TypeDoc shows it as `Clock → Clock`. */
function withDescribedReexports(html: string, url: string): string {
  return html.replaceAll(
    reexport,
    (_, _name: string, link: string, target: string, between: string) =>
      `${link}${between}<dd class="tsd-member-summary"><div class="tsd-comment tsd-typography"><p>The same as in <code>${posix.dirname(
        posix.join(posix.dirname(url), target),
      )}</code>.</p></div></dd>`,
  );
}
