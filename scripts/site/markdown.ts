/** The parts of markdown-it that the site changes. TypeDoc does not type the parser that it passes. */
interface MarkdownParser {
  readonly core: {
    readonly ruler: { push(name: string, rule: (state: { readonly tokens: Token[] }) => void): void };
  };
  readonly renderer: { readonly rules: Record<string, RenderRule | undefined> };
}

type RenderRule = (tokens: readonly Token[], index: number) => string;

interface Token {
  type: string;
  content: string;
  children: Token[] | null;
  attrs?: [name: string, value: string][] | null;
}

/**
 * Adapts the parser of Markdown: anchors of headings contain what stands in code, lists of tasks have boxes, wide tables scroll by
 * themselves, and code breaks where a reader expects it: not in an option, but after a slash, and in a table between the words of a name.
 */
export function adaptMarkdown(parser: MarkdownParser): void {
  parser.core.ruler.push('code-in-headings', ({ tokens }) => {
    for (const [index, { type }] of tokens.entries()) {
      if (type === 'heading_open') for (const child of tokens[index + 1]?.children ?? []) asText(child);
    }
  });
  parser.core.ruler.push('boxes-of-tasks', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const first = tokens[index + 2]?.children?.[0];
      if (token.type === 'list_item_open' && first?.type === 'text' && first.content.startsWith('[ ] ')) {
        first.content = first.content.slice(4);
        token.attrs = [['class', 'task']];
      }
    }
  });
  parser.core.ruler.push('code-in-tables', ({ tokens }) => {
    for (const [index, { type }] of tokens.entries()) {
      if (type === 'th_open' || type === 'td_open')
        for (const child of tokens[index + 1]?.children ?? [])
          if (child.type === 'code_inline') child.type = 'code_in_table';
    }
  });
  parser.renderer.rules.table_open = (tokens, index) =>
    `<div class="${hasProofs(tokens.slice(index)) ? 'table proofs' : 'table'}"><table>\n`;
  parser.renderer.rules.table_close = () => '</table></div>\n';
  parser.renderer.rules.code_inline = (tokens, index) =>
    `<code>${withWholeOptions(breakableAfterSlash(htmlOf(tokens[index]?.content ?? '')))}</code>`;
  parser.renderer.rules.code_in_table = (tokens, index) =>
    `<code>${withWholeOptions(breakableInNames(breakableAfterSlash(htmlOf(tokens[index]?.content ?? ''))))}</code>`;
}

function htmlOf(code: string): string {
  return code
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function breakableAfterSlash(html: string): string {
  return html.replaceAll(/(?<=[\w-])\/(?=[\w:])/g, '/<wbr>');
}

/** Otherwise `--json` can break after its first hyphen. */
function withWholeOptions(html: string): string {
  return html.replaceAll(/(?<![\w-])--[a-z][a-z-]*/g, '<span class="option">$&</span>');
}

/** Without this, one long name in a column takes the width from the texts in the others. */
function breakableInNames(html: string): string {
  return html
    .replaceAll(/\w{18,}/g, (name) => name.replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=\w_)(?=\w)/g, '<wbr>'))
    .replaceAll(/(?<=\w\()(?=\w)|(?<=[\w)])(?=\.\w+\()/g, '<wbr>');
}

/** Whether the last of many columns names the tests: then it stands below the others. */
function hasProofs(tokens: readonly Token[]): boolean {
  const head = tokens.slice(
    0,
    tokens.findIndex(({ type }) => type === 'thead_close'),
  );
  const titles = head.filter(({ type }) => type === 'inline').map(({ content }) => content);
  return titles.length > 2 && titles.at(-1) === 'Proved by';
}

/** TypeDoc reads the anchor of a heading from its text tokens alone. */
function asText(token: Token): void {
  if (token.type === 'code_inline')
    token.children = [{ type: 'text', content: token.content, children: null }];
}
