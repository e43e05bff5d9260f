// Replaces what the package looks for in its runtime by what throws, for the package alone: the runner and the frameworks have it as it is.

const { what, paths } = JSON.parse(process.env.THROWING_PROBES);

for (const path of paths) {
  replace(path.split('.'));
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

/** Whether the nearest file on the stack is one of the package. Without the text of the stack, which takes source maps to write. */
function isAskedByPackage() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 8;
  Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName());
  const { stack } = new Error();
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  const caller = stack.find((file) => file && file !== import.meta.url);
  return caller?.includes('/messaging-automation/dist/') === true;
}
