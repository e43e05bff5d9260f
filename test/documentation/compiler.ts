import ts from 'typescript';
import { repositoryFile } from '../repository.js';

/** A program over the given files with the options of `tsconfig.json`. */
export function programOf(files: readonly string[], compiler: typeof ts = ts): ts.Program {
  const configFile = repositoryFile('tsconfig.json');
  const { config } = compiler.readConfigFile(configFile, compiler.sys.readFile);
  const { options } = compiler.parseJsonConfigFileContent(config, compiler.sys, repositoryFile('.'));
  return compiler.createProgram({ rootNames: files, options });
}
