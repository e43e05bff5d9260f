/** The parts of markdown-it that the site changes. TypeDoc does not type the parser that it passes. */
interface MarkdownParser {
  readonly core: {
    readonly ruler: { push(name: string, rule: (state: { readonly tokens: Token[] }) => void): void };
  };
  readonly renderer: { readonly rules: Record<string, RenderRule | undefined> };
}

type RenderRule = (tokens: readonly Token[], index: number) => string;

interface Token {
  readonly type: string;
  readonly content: string;
  children: Token[] | null;
}

/**
 * Adapts the parser of Markdown: anchors of headings contain what stands in code, wide tables scroll by themselves, and a long path in
 * code can break after a slash.
 */
export function adaptMarkdown(parser: MarkdownParser): void {
  parser.core.ruler.push('code-in-headings', ({ tokens }) => {
    for (const [index, { type }] of tokens.entries()) {
      if (type === 'heading_open') for (const child of tokens[index + 1]?.children ?? []) asText(child);
    }
  });
  parser.renderer.rules.table_open = () => '<div class="table"><table>\n';
  parser.renderer.rules.table_close = () => '</table></div>\n';
  parser.renderer.rules.code_inline = (tokens, index) =>
    `<code>${breakable(tokens[index]?.content ?? '')}</code>`;
}

function breakable(code: string): string {
  const html = code
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  return html.replaceAll(/(?<=[\w-])\/(?=[\w:])/g, '/<wbr>');
}

/** TypeDoc reads the anchor of a heading from its text tokens alone. */
function asText(token: Token): void {
  if (token.type === 'code_inline')
    token.children = [{ type: 'text', content: token.content, children: null }];
}
