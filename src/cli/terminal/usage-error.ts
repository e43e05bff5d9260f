/** An invalid command line. The user sees only its message. */
export class UsageError extends Error {
  static {
    this.prototype.name = 'UsageError';
  }
}
