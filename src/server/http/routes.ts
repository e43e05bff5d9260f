import { likeness, nearest } from '../../foundation/near-name.js';

interface Route<Target> {
  readonly method: string;
  readonly template: string;
  readonly segments: readonly string[];
  readonly target: Target;
}

/** The route of a path. */
export interface Found<Target> {
  readonly method: string;
  /** The path template, such as `/api/v1/contacts/:id`. */
  readonly template: string;
  /** The decoded values of its parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly target: Target;
}

/** Maps paths to targets. A path without parameters has priority over one with parameters. */
export class Routes<Target> {
  /** The routes without parameters, by path. */
  readonly #exact = new Map<string, readonly (Route<Target> & Found<Target>)[]>();
  readonly #withParameters: Route<Target>[] = [];

  add(method: string, template: string, target: Target): void {
    const segments = template.split('/');
    const route: Route<Target> = { method, template, segments, target };
    if (template.includes('/:')) this.#withParameters.push(route);
    else this.#exact.set(template, [...(this.#exact.get(template) ?? []), { ...route, parameters: {} }]);
  }

  /** Finds the route for a path and a method. The GET route also serves HEAD. */
  find(method: string, path: string): Found<Target> | undefined {
    const wanted = method === 'HEAD' ? 'GET' : method;
    const exact = this.#exact.get(path)?.find((route) => route.method === wanted);
    if (exact !== undefined) return exact;
    return this.#matching(path).find((found) => found.method === wanted);
  }

  /** All routes for a path, for any method. */
  all(path: string): readonly Found<Target>[] {
    return [...(this.#exact.get(path) ?? []), ...this.#matching(path)];
  }

  /** The path that is likely meant by one that no route has. It is compared by what follows their common start. */
  nearest(path: string): string | undefined {
    const templates = [...this.#exact.keys(), ...this.#withParameters.map(({ template }) => template)];
    return nearest(templates, (template) => {
      const [parts, others] = [path.split('/'), template.split('/')];
      const start = parts.findIndex((part, place) => part !== others[place]);
      return start === -1 ? 0 : likeness(parts.slice(start).join('/'), others.slice(start).join('/'));
    });
  }

  #matching(path: string): readonly Found<Target>[] {
    const parts = path.split('/');
    return this.#withParameters
      .filter(({ segments }) => matches(segments, parts))
      .map((route) => ({ ...route, parameters: parametersOf(route.segments, parts) }));
  }
}

function matches(segments: readonly string[], parts: readonly string[]): boolean {
  return (
    segments.length === parts.length &&
    segments.every((segment, i) => (segment.startsWith(':') ? parts[i] !== '' : segment === parts[i]))
  );
}

function parametersOf(
  segments: readonly string[],
  parts: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    segments.flatMap((segment, i) =>
      segment.startsWith(':') ? [[segment.slice(1), decoded(parts[i] ?? '')]] : [],
    ),
  );
}

/** Returns a part that cannot be decoded unchanged. No record has it as its id, so the request gets a 404. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
