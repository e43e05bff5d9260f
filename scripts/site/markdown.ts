/** The parts of markdown-it that the site changes. TypeDoc does not type the parser that it passes. */
interface MarkdownParser {
  readonly core: {
    readonly ruler: { push(name: string, rule: (state: { readonly tokens: Token[] }) => void): void };
  };
  readonly renderer: { readonly rules: Record<string, (() => string) | undefined> };
}

interface Token {
  readonly type: string;
  readonly content: string;
  children: Token[] | null;
}

/** Adapts the parser of Markdown: anchors of headings contain what stands in code, and wide tables scroll by themselves. */
export function adaptMarkdown(parser: MarkdownParser): void {
  parser.core.ruler.push('code-in-headings', ({ tokens }) => {
    for (const [index, { type }] of tokens.entries()) {
      if (type === 'heading_open') for (const child of tokens[index + 1]?.children ?? []) asText(child);
    }
  });
  parser.renderer.rules.table_open = () => '<div class="table"><table>\n';
  parser.renderer.rules.table_close = () => '</table></div>\n';
}

/** TypeDoc reads the anchor of a heading from its text tokens alone. */
function asText(token: Token): void {
  if (token.type === 'code_inline')
    token.children = [{ type: 'text', content: token.content, children: null }];
}
