/** The message that an agent gets in place of a result. */
export class ToolFailure extends Error {
  static {
    this.prototype.name = 'ToolFailure';
  }
}
