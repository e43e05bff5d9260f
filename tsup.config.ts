import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Options } from 'tsup';
import { type PublicEntry, publicEntries } from './scripts/public-entries.js';
import { operations } from './src/contract/operations.js';
import { controlOperations } from './src/server/subjects/control-operations.js';

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number];

/** The sources of these entries, by their names in dist/. */
const sourcesOf = (entries: readonly PublicEntry[]) =>
  Object.fromEntries(entries.map(({ file, source }) => [file, source]));
const declarations = Object.fromEntries(
  publicEntries.map(({ file, source }) => [
    file,
    source.replace(/^src\/(.*)\.ts$/, '.cache/declarations/$1.d.ts'),
  ]),
);
const isWebhooks = ({ file }: PublicEntry) => file === 'webhooks';

const shared: Options = {
  outDir: 'dist',
  target: ['node20', 'es2023'],
  platform: 'node',
  removeNodeProtocol: false,
  // Names in stack traces are worth more here than bytes, so nothing is renamed: scripts/compact.ts takes out white space
  // alone. Code with its names needs no source maps, which would be two thirds of the install.
  minify: false,
  sourcemap: false,
};

// `BUILD=code` and `BUILD=types` divide the builds: only programs that compile need the types.
const { BUILD: wanted } = process.env;

// The builds below run at the same time, so none of them may clear away what it finds. The types come after the code.
if (wanted !== 'types') rmSync('dist', { recursive: true, force: true });

const builds: readonly Options[] = [
  {
    ...shared,
    name: 'library',
    // Two entries more, which nobody can import. Only the command `mcp` loads its entry, which shares the table of the control
    // surface and zod with the server. The other builds load the causes of failed connections from here.
    entry: {
      ...sourcesOf(publicEntries.filter((entry) => !isWebhooks(entry))),
      mcp: 'src/mcp/index.ts',
      'connection-causes': 'src/foundation/connection-causes.ts',
    },
    format: ['esm', 'cjs'],
    // What the entries share stands in chunks, so that a class is the same class from each of them; and
    // ky stays in a chunk of its own, which the first call loads. scripts/fewer-chunks.ts joins the others.
    splitting: true,
    // The server finds the page's files from where its own code stands, which CommonJS names in another way.
    esbuildOptions: (options, { format }) => {
      if (format !== 'cjs') return;
      options.define = { ...options.define, 'import.meta.url': '__filename' };
      // The command line is an ES module.
      const { mcp, ...entryPoints } = Object(options.entryPoints);
      options.entryPoints = entryPoints;
    },
    esbuildPlugins: [recordContents('library')],
  },
  {
    ...shared,
    name: 'types',
    entry: sourcesOf(publicEntries),
    // For both formats: scripts/types-of-modules.ts has the types of the ES modules lead here.
    format: ['cjs'],
    // tsconfig.declarations.json writes a file of declarations for each module, without what is marked @internal. Here they are
    // joined, which leaves out what no entry leads to.
    dts: {
      only: true,
      entry: declarations,
      compilerOptions: { ignoreDeprecations: '6.0' },
    },
  },
  {
    ...shared,
    name: 'webhooks',
    // Apart from the others, with which it would share so many chunks that loading them takes longer than what is in
    // them. Its errors are recognised by their brand, so that copies of a class do no harm.
    //
    // Two entries more, which nobody can import: they make verifying stand in a chunk of its own, so that whoever
    // takes only `verifyWebhook` bundles no more than that. A chunk for `unwrapWebhook` would spare its bundles 2 kB,
    // and cost everybody a file to load.
    entry: {
      ...sourcesOf(publicEntries.filter(isWebhooks)),
      verify: 'src/webhooks/verification/verify.ts',
      receiving: 'src/webhooks/receiving.ts',
    },
    format: ['esm', 'cjs'],
    splitting: true,
    // The library has its chunks joined afterwards, and must not take one of these with it.
    esbuildOptions: (options) => {
      options.chunkNames = 'webhooks-[hash]';
    },
    esbuildPlugins: [causesBesideTheBuild(), recordContents('webhooks')],
  },
  {
    ...shared,
    name: 'cli',
    entry: { cli: 'src/cli/main.ts', 'command-line': 'src/cli/command-line.ts' },
    // The clients of Redis are the user's.
    external: ['./command-line.js', 'redis', 'ioredis'],
    format: ['esm'],
    splitting: false,
    // commander and yaml are CommonJS and `require` Node's own modules.
    banner: {
      js: "import { createRequire as createRequireOfNode } from 'node:module';\nconst require = createRequireOfNode(import.meta.url);",
    },
    // Nobody imports it, so short names cost no one a stack trace of their own program.
    esbuildOptions: (options) => {
      options.minifyIdentifiers = true;
      options.keepNames = true;
    },
    esbuildPlugins: [
      besideTheLibrary(),
      causesBesideTheBuild(),
      methodsAndPathsAlone('src/cli'),
      recordContents('cli'),
    ],
  },
  {
    name: 'workbench',
    entry: { main: 'src/workbench/main.tsx' },
    outDir: 'dist/workbench',
    // index.html and the icon.
    publicDir: 'src/workbench/public',
    format: ['esm'],
    target: 'es2022',
    platform: 'browser',
    // What the first view does not need is a chunk.
    splitting: true,
    // Terser finds a kilobyte more than esbuild, of the 40 that the page may weigh. Without `pure_getters`: a component
    // subscribes to a signal by reading it.
    minify: 'terser',
    terserOptions: { compress: { ecma: 2020, passes: 3, unsafe_arrows: true } },
    noExternal: [/./],
    esbuildOptions: (options) => {
      // `h(…)` is shorter than what the compiler checks JSX by.
      delete options.tsconfig;
      options.tsconfigRaw = {
        compilerOptions: {
          jsx: 'react',
          jsxFactory: 'h',
          jsxFragmentFactory: 'Fragment',
          verbatimModuleSyntax: true,
        },
      };
      options.minify = true; // the style sheets too
      options.inject = ['src/workbench/jsx.ts'];
    },
    esbuildPlugins: [methodsAndPathsAlone('src/workbench'), recordContents('workbench')],
  },
];

export default defineConfig(
  builds.filter(({ name }) => wanted === undefined || (name === 'types') === (wanted === 'types')),
);

/**
 * The page and the command line ask for operations by their methods and paths. Their schemas would be most of what the page weighs, and
 * most of what a command loads.
 */
function methodsAndPathsAlone(folder: string): EsbuildPlugin {
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readFileSync(`${folder}/${file}`, 'utf8'))
    .join('\n');
  const tables = { operations, controlOperations: usedIn(sources) };
  const inShort = (_: string, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('method' in value && 'path' in value)) return value;
    const { method, path } = value;
    return { method, path };
  };
  return {
    name: 'methods-and-paths-alone',
    setup(build) {
      build.onLoad({ filter: /\/src\/contract\/operations\.ts$|\/control-operations\.ts$/ }, ({ path }) => {
        const name = path.endsWith('control-operations.ts') ? 'controlOperations' : 'operations';
        return { contents: `export const ${name} = ${JSON.stringify(tables[name], inShort)};`, loader: 'js' };
      });
    },
  };
}

/** The operations of the control surface that these sources name. */
function usedIn(sources: string): object {
  const subjects = Object.entries(controlOperations).map(([subject, verbs]) => {
    const used = Object.entries(verbs).filter(([verb]) =>
      new RegExp(`\\bcontrol\\.${subject}\\.${verb}\\b`).test(sources),
    );
    return [subject, Object.fromEntries(used)] as const;
  });
  return Object.fromEntries(subjects.filter(([, verbs]) => Object.keys(verbs).length > 0));
}

/** The command line imports the public entries from the files next to it: to bundle them again would double the package. */
function besideTheLibrary(): EsbuildPlugin {
  const sources = fileURLToPath(new URL('src/', import.meta.url));
  return {
    name: 'beside-the-library',
    setup(build) {
      build.onResolve({ filter: /^\.\.\/.*\bindex\.js$/ }, ({ path, resolveDir }) => {
        // src/index.js, or the index.js of a folder of src.
        const entry = /^(?:(\w+)\/)?index\.js$/.exec(relative(sources, resolve(resolveDir, path)));
        if (entry === null || !resolveDir.startsWith(sources)) return undefined;
        return { path: `./${entry[1] ?? 'index'}.js`, external: true };
      });
    },
  };
}

/** The causes of failed connections are a file of the library's build, which this build loads instead of a copy. */
function causesBesideTheBuild(): EsbuildPlugin {
  return {
    name: 'causes-beside-the-build',
    setup(build) {
      const extension = build.initialOptions.outExtension?.['.js'] ?? '.js';
      build.onResolve({ filter: /\/foundation\/connection-causes\.js$/ }, () => ({
        path: `./connection-causes${extension}`,
        external: true,
      }));
    },
  };
}

/** Leaves behind what went into each output, from which scripts/third-party.ts writes the notices and the SBOM. */
function recordContents(name: string): EsbuildPlugin {
  const folder = fileURLToPath(new URL('.cache/bundle/', import.meta.url));
  return {
    name: 'record-contents',
    setup(build) {
      build.initialOptions.metafile = true;
      build.onEnd(({ metafile }) => {
        if (metafile === undefined) return;
        mkdirSync(folder, { recursive: true });
        writeFileSync(
          `${folder}${name}${build.initialOptions.outExtension?.['.js'] ?? '.js'}.json`,
          JSON.stringify(metafile),
        );
      });
    },
  };
}
