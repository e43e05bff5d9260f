/** The command was not given what it needs; its message is all that the user has to see. */
export class UsageError extends Error {
  static {
    this.prototype.name = 'UsageError';
  }
}
