// The runtimes have no test library in common, and a worker has none at all; these few checks run in each.

/** Fails unless both are the same, property for property; the order of properties does not matter. */
export function equal(actual, expected, what = 'the value') {
  if (canonical(actual) === canonical(expected)) return;
  throw new Error(`${what}: expected ${canonical(expected)}, got ${canonical(actual)}`);
}

export function ok(condition, what) {
  if (!condition) throw new Error(`expected ${what}`);
}

/** Fails unless the promise rejects with an error of this class that has these properties, and gives the error. */
export async function rejects(promise, errorClass, properties = {}) {
  const error = await promise.then(
    () => {
      throw new Error(`expected a ${errorClass.prototype.name}, and nothing was thrown`);
    },
    (thrown) => thrown,
  );
  isError(error, errorClass, properties);
  return error;
}

/** The same for a function. */
export function throws(work, errorClass, properties = {}) {
  let error;
  try {
    work();
  } catch (thrown) {
    error = thrown;
  }
  isError(error, errorClass, properties);
  return error;
}

function isError(error, errorClass, properties) {
  const name = errorClass.prototype.name;
  if (!(error instanceof errorClass)) throw new Error(`expected a ${name}, got ${error?.stack ?? error}`);
  equal(error.name, name, 'the name of the error');
  for (const [property, expected] of Object.entries(properties)) {
    equal(error[property], expected, `${name}.${property} (${error.message})`);
  }
}

function canonical(value) {
  const text = JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
  return text ?? String(value);
}
