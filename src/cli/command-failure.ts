/** The command made sense, and could not be done; its message is all that the user has to see. */
export class CommandFailure extends Error {
  static {
    this.prototype.name = 'CommandFailure';
  }

  /** Whether the same may go well at another time: nothing answered, or the server has trouble. */
  readonly mayPass: boolean;

  /** The status with which the control surface refused it, where it did. */
  readonly status: number | undefined;

  constructor(
    message: string,
    { mayPass = false, status }: { readonly mayPass?: boolean; readonly status?: number } = {},
  ) {
    super(message);
    this.mayPass = mayPass;
    this.status = status;
  }
}
