import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import type { PublicEntry } from '../public-entries.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Prints the declarations of an import path from its built types, with those that it names without exporting them, as API
 * Extractor writes them into its report. Uses the folder for files.
 *
 * @throws Error if the types do not compile.
 */
export function extractDeclarations({ file, importPath }: PublicEntry, folder: string): string {
  const types = join(repository, `dist/${file}.d.cts`);
  const none = { default: { logLevel: ExtractorLogLevel.None } };
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: repository,
      mainEntryPointFilePath: types,
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'ES2023',
            lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable', 'ESNext.Disposable'],
            module: 'NodeNext',
            moduleResolution: 'NodeNext',
            strict: true,
            exactOptionalPropertyTypes: true,
            types: ['node'],
            skipLibCheck: true,
          },
          files: [types],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${file}.api.md`,
        reportFolder: folder,
        reportTempFolder: join(folder, 'temporary'),
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: none, // Missing doc comments and release tags are the subject of other tests.
        tsdocMessageReporting: none,
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(repository, 'package.json'),
  });
  const problems: string[] = [];
  const { errorCount } = Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => {
      if (message.logLevel === ExtractorLogLevel.Error) problems.push(message.text);
      message.handled = true;
    },
  });
  if (errorCount > 0) throw new Error(`The types of ${importPath} are invalid: ${problems.join(' ')}`);
  return readFileSync(join(folder, `${file}.api.md`), 'utf8');
}
