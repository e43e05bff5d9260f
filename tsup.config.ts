import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Options } from 'tsup';

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number];

const publicEntries = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  server: 'src/server/index.ts',
  testing: 'src/testing/index.ts',
  undici: 'src/undici/index.ts',
};

const shared: Options = {
  outDir: 'dist',
  target: ['node20', 'es2023'],
  platform: 'node',
  removeNodeProtocol: false,
  // Readable names in stack traces are worth more here than bytes: the user's bundler minifies, and a
  // server does not care. Unminified code needs no source maps, which would be two thirds of the install.
  minify: false,
  sourcemap: false,
};

export default defineConfig([
  {
    ...shared,
    name: 'library',
    // Two entries more, which nobody can import: they make verifying stand in a chunk apart from the schemas, so
    // that whoever takes only `verifyWebhook` bundles no more than that.
    entry: { ...publicEntries, verify: 'src/webhooks/verify.ts', unwrap: 'src/webhooks/unwrap.ts' },
    format: ['esm', 'cjs'],
    // cli.js belongs to the other build, which runs at the same time.
    clean: ['!cli.js'],
    // What the entries share stands in one chunk, so that a class is the same class from each of them; and
    // ky stays in a chunk of its own, which the first call loads.
    splitting: true,
    // What is marked @internal is not in the types, and with it goes all that only it needs.
    dts: { entry: publicEntries, compilerOptions: { ignoreDeprecations: '6.0', stripInternal: true } },
    esbuildPlugins: [recordContents('library')],
  },
  {
    ...shared,
    name: 'cli',
    entry: { cli: 'src/cli/main.ts' },
    format: ['esm'],
    splitting: false,
    // commander and yaml are CommonJS and `require` Node's own modules.
    banner: {
      js: "import { createRequire as createRequireOfNode } from 'node:module';\nconst require = createRequireOfNode(import.meta.url);",
    },
    esbuildPlugins: [recordContents('cli')],
  },
]);

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
