/**
 * An invalid field of a request or a response. It names the field and what it must be, never its value. One exception:
 * a message of your own workspace schema may quote the value.
 */
export interface FieldProblem {
  /** The path of the field, such as `properties.tags[1]`. Empty for the whole value. */
  readonly field: string;
  /** What the field must be. */
  readonly message: string;
}

/** How many problems a message lists. It counts the rest. */
const listed = 10;

/**
 * The first problems in one line. A problem of the whole value gets the name `whole`.
 *
 * @param total The number of problems, if `problems` does not contain all.
 */
export function listProblems(
  problems: readonly FieldProblem[],
  whole: string,
  total: number = problems.length,
): string {
  const texts = problems.slice(0, listed).map(({ field, message }) => `${field || whole} ${message}`);
  return (total > listed ? [...texts, `and ${total - listed} more`] : texts).join('; ');
}
