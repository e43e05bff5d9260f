/** More of a text that is no error of the service helps nobody. */
const longest = 200;

/** Why a request was refused, in a line: of an error in any of the forms that services write. Empty for an empty body. */
export function reasonIn(answer: string): string {
  const body = parsed(answer);
  const { error = body }: { readonly error?: unknown } = Object(body);
  if (typeof error === 'string') return plain(error);
  const { code, message, details }: Parts = Object(error);
  const problems = Array.isArray(details) ? details.map(problemOf).filter(Boolean) : [];
  const why = problems.length > 0 ? problems.join('; ') : message;
  const parts = [code, why].filter((part) => typeof part === 'string');
  return parts.length > 0 ? parts.join(': ') : plain(answer);
}

interface Parts {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly details?: unknown;
}

function problemOf(detail: unknown): string {
  const { field, message }: { readonly field?: unknown; readonly message?: unknown } = Object(detail);
  return typeof message === 'string' ? `${field || 'the body'} ${message}` : '';
}

/** What a JSON text stands for, or the text itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The words of a page or of a text, in one line. */
function plain(text: string): string {
  const words = text
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return words.length > longest ? `${words.slice(0, longest)}…` : words;
}
