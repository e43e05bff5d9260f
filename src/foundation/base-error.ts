const brand = Symbol.for('messaging-automation.error');

/**
 * The base class of every error that this package throws.
 *
 * `instanceof` compares names and not classes. So it also works if a process contains two copies of the package, for
 * example one loaded as ESM and one as CommonJS.
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
   * The names of this class and of the classes it extends, up to the base. Minifiers rename classes, but not these
   * strings.
   *
   * @internal
   */
  declare readonly [brand]: readonly string[];

  static {
    describeErrorClass(this, 'MessagingAutomationError');
  }

  /** True for an error of this class or of a subclass, from any copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // A user's own subclass has no brand, so compare its identity.
    if (!Object.hasOwn(this.prototype, brand))
      return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && namesOf(value).includes(this.prototype.name);
  }
}

/**
 * Sets the `name` and the brand of an error class. Each class calls it in its `static` block, so that neither depends
 * on the name that a bundler gives the class.
 */
export function describeErrorClass(errorClass: { readonly prototype: object }, name: string): void {
  const inherited = namesOf(Object.getPrototypeOf(errorClass.prototype));
  Object.defineProperty(errorClass.prototype, 'name', { value: name, configurable: true, writable: true });
  Object.defineProperty(errorClass.prototype, brand, { value: [name, ...inherited] });
}

/**
 * Calls `describeErrorClass` for several classes, each by its name. List a class before those that extend it.
 */
export function describeErrorClasses(
  classes: Readonly<Record<string, { readonly prototype: object }>>,
): void {
  for (const [name, errorClass] of Object.entries(classes)) describeErrorClass(errorClass, name);
}

function namesOf(value: object): readonly string[] {
  const names: unknown = Reflect.get(value, brand);
  return Array.isArray(names) ? names : [];
}
