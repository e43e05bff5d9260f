import { cruise, type IViolation } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { repositoryFile } from '../repository.js';

/** Runs the rules of `.dependency-cruiser.mjs` over the `src/` of a folder and gives what they complain of. */
export async function violationsIn(folder: string): Promise<readonly IViolation[]> {
  const options = await extractDepcruiseOptions(repositoryFile('.dependency-cruiser.mjs'));
  const { output } = await cruise(
    ['src'],
    { ...options, baseDir: folder },
    {},
    { tsConfig: extractTSConfig(repositoryFile('tsconfig.json')) },
  );
  if (typeof output === 'string') throw new Error(`dependency-cruiser answered with text: ${output}`);
  if (output.summary.totalCruised === 0) throw new Error(`dependency-cruiser found nothing in ${folder}/src`);
  return output.summary.violations;
}

/** The names of the rules of `.dependency-cruiser.mjs`. */
export async function ruleNames(): Promise<readonly string[]> {
  const { ruleSet } = await extractDepcruiseOptions(repositoryFile('.dependency-cruiser.mjs'));
  return (ruleSet?.forbidden ?? []).flatMap(({ name }) => name ?? []);
}
