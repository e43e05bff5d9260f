/** A failure of a valid command. The user sees only its message. */
export class CommandFailure extends Error {
  static {
    this.prototype.name = 'CommandFailure';
  }

  /** Whether a later try may succeed: the server did not answer, or has a problem. */
  readonly mayPass: boolean;

  /** The status of the control surface's refusal, if it refused. */
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
