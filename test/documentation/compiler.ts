import ts from 'typescript';
import { repositoryFile } from '../repository.js';

/** A program over the given files with the options of `tsconfig.json`. */
export function programOf(files: readonly string[]): ts.Program {
  const configFile = repositoryFile('tsconfig.json');
  const { config } = ts.readConfigFile(configFile, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, repositoryFile('.'));
  return ts.createProgram({ rootNames: files, options });
}
