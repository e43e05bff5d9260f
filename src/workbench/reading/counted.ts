/** A count as a person reads it, such as 12,345. By hand, because the browser takes long to prepare `toLocaleString`. */
export function counted(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A count of things: `1 retry`, `12,345 retries`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${counted(count)} ${count === 1 ? one : many}`;
}
