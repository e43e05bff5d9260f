/** The message that an agent gets instead of a result. */
export class ToolFailure extends Error {
  static {
    this.prototype.name = 'ToolFailure';
  }
}
