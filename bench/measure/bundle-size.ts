import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Bytes, minified and gzipped, of a program that is all it says; without what it loads later, unless asked for. */
export async function bundleSize(program: string, folder: string, withLazy: boolean): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: folder },
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outdir: '/bundle',
    absWorkingDir: '/',
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  const contents = new Map(outputFiles.map((file) => [file.path.slice(1), file.contents]));
  const wanted = new Set(['bundle/stdin.js']);
  for (const path of wanted) {
    for (const found of metafile.outputs[path]?.imports ?? []) {
      if (!found.external && (withLazy || found.kind !== 'dynamic-import')) wanted.add(found.path);
    }
  }
  return gzipSync(Buffer.concat([...wanted].map((path) => contents.get(path) ?? new Uint8Array()))).length;
}
