/** A template as it stands in the file that `templates pull` writes. */
export interface PulledTemplate {
  /** The service's. */
  readonly id: string;
  /** What the program calls it. */
  readonly name: string;
  /** What the program calls its placeholders, the first first. */
  readonly variables: readonly string[];
  /** The lines of its text as comments show them; none where the service does not show it. */
  readonly text: readonly string[];
}
