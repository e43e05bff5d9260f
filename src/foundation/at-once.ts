/** Whether something is still to come: a promise, or another object with `then`. */
export function isLater<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  const mayHaveMethods = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return mayHaveMethods && 'then' in value && typeof value.then === 'function';
}

/**
 * Goes on with a value: now if it is there, or when its promise resolves. What is there at once needs no promise, and creating promises
 * takes longer than most of what is done with the value.
 */
export function after<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return isLater(value) ? value.then(next) : next(value);
}

/** A promise whose value is known, so that who asks `atOnce` need not wait for it. */
export class KnownPromise<Value> extends Promise<Value> {
  readonly value: Value;

  constructor(value: Value) {
    super((resolve) => resolve(value));
    this.value = value;
  }

  /** What is derived from it is an ordinary promise. */
  static override get [Symbol.species]() {
    return Promise;
  }
}

/** The value of a promise whose value is known; any other promise as it is. */
export function atOnce<Value>(given: Promise<Value>): Value | Promise<Value> {
  return given instanceof KnownPromise ? given.value : given;
}
