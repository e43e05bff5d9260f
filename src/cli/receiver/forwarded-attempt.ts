/** A delivery attempt in the stream of a listener. */
export interface AttemptJson {
  readonly listenerId: string;
  readonly attemptId: string;
  readonly deliveryId: string;
  readonly number: number;
  readonly event: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes in base64. */
  readonly body: string;
  /** How long the server still waits for the answer, in milliseconds. */
  readonly timeout: number;
}

/** The result of an attempt at the local receiver. */
export interface ForwardedAttempt {
  /** When the attempt was forwarded, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly duration: number;
  readonly attempt: AttemptJson;
  readonly status?: number;
  /** The beginning of the body of the answer. */
  readonly answer?: string;
  /** Why it failed, if it did. */
  readonly error?: string;
}
