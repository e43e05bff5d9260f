/** A server that a test can take away from its clients, and give back under the same address. */
export interface StoppableServer {
  /** Ends it by a signal. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again after its end. */
  start(): Promise<void>;
  /** Stops all of its processes where they are: it takes connections, and answers nothing. */
  freeze(): Promise<void>;
  /** Lets them go on. */
  thaw(): Promise<void>;
  /** Ends it for good and removes its files. */
  stop(): Promise<void>;
}
