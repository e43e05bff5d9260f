const brand = Symbol.for('messaging-automation.error');

/**
 * The base of every error this package throws.
 *
 * `instanceof` works by the error's brand and name rather than by identity of the class, so it holds when
 * two copies of the package (one loaded as ESM, one as CommonJS, or two bundles) meet in one process.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, MessagingAutomationError } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * try {
 *   await messaging.contacts.get('unknown');
 * } catch (error) {
 *   if (error instanceof MessagingAutomationError) console.error(error.name, error.message);
 * }
 * ```
 */
export class MessagingAutomationError extends Error {
  /**
   * The names of this error's class and of those it extends, up to and including the base. Minifiers
   * rename classes; these literals stay.
   *
   * @internal
   */
  declare readonly [brand]: readonly string[];

  static {
    describeErrorClass(this, 'MessagingAutomationError');
  }

  /** True for an error of this class, or of one that extends it, from any copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // A user's own subclass carries no brand of its own; its identity is all there is to go by.
    if (!Object.hasOwn(this.prototype, brand))
      return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && namesOf(value).includes(this.prototype.name);
  }
}

/**
 * Gives an error class its literal `name` and its place in the brand. Called in each class's `static` block,
 * so that neither depends on what a bundler calls the class.
 */
export function describeErrorClass(errorClass: { readonly prototype: object }, name: string): void {
  const inherited = namesOf(Object.getPrototypeOf(errorClass.prototype));
  Object.defineProperty(errorClass.prototype, 'name', { value: name, configurable: true, writable: true });
  Object.defineProperty(errorClass.prototype, brand, { value: [name, ...inherited] });
}

function namesOf(value: object): readonly string[] {
  const names: unknown = Reflect.get(value, brand);
  return Array.isArray(names) ? names : [];
}
