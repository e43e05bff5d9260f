// Replaces what the package looks for in its runtime by what throws, for the package alone: the runner and the frameworks have it as it is.

const { what, paths } = JSON.parse(process.env.THROWING_PROBES);

/** What the package uses without looking for it first. */
const required = ['crypto'];

for (const path of paths) {
  const names = path.split('.');
  const [first] = names;
  const isWhole = what === 'property' && !required.includes(first);
  replace(isWhole ? [first] : names);
}

function replace(names) {
  const owner = names.slice(0, -1).reduce((found, name) => found?.[name], globalThis);
  const name = names.at(-1);
  const found = Object.getOwnPropertyDescriptor(Object(owner), name);
  if (owner === undefined || (found && !found.configurable)) return;
  let real = owner[name];
  const report = () => {
    throw new Error(`${names.join('.')} is not supported here.`);
  };
  const broken = new Proxy(() => {}, { apply: report, construct: report, get: report, has: report });
  Object.defineProperty(owner, name, {
    configurable: true,
    enumerable: found?.enumerable ?? false,
    get() {
      if (!isAskedByPackage()) return real;
      return what === 'property' ? report() : broken;
    },
    set(value) {
      real = value;
    },
  });
}

function isAskedByPackage() {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 8;
  const { stack } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  const caller = stack.split('\n').find((line) => line.includes('/') && !line.includes(import.meta.url));
  return caller?.includes('/messaging-automation/dist/') === true;
}
