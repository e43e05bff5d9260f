/**
 * One field that a request or an answer got wrong. It names the field and what is wanted, never the value; only the
 * message of a schema of your own workspace, which says why an input was refused, may quote it.
 */
export interface FieldProblem {
  /** The path of the field, as in `properties.tags[1]`; empty for the whole value. */
  readonly field: string;
  /** What is wrong and what would be right. */
  readonly message: string;
}

/** How many problems a text lists; of the rest it gives the number. */
const listed = 10;

/**
 * The first problems in one line; those of the whole value name it as `whole`.
 *
 * @param total How many there are, where `problems` does not hold all.
 */
export function listProblems(
  problems: readonly FieldProblem[],
  whole: string,
  total: number = problems.length,
): string {
  const texts = problems.slice(0, listed).map(({ field, message }) => `${field || whole} ${message}`);
  return (total > listed ? [...texts, `and ${total - listed} more`] : texts).join('; ');
}
