/** A template in the file that `templates pull` writes. */
export interface PulledTemplate {
  /** The id at the service. */
  readonly id: string;
  /** The name in the program. */
  readonly name: string;
  /** The names of the placeholders in the program, in order. */
  readonly variables: readonly string[];
  /** The lines of the text, for comments. Empty if the service does not show the text. */
  readonly text: readonly string[];
}
