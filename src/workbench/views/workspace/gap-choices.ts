import { control } from '../../surface/operations.js';
import type { Surface } from '../../surface/surface.js';

/** The values of a switch, the default first. */
export type GapChoices = readonly [name: string, values: readonly (string | number)[]];

/** Reads the switches out of the server's own document. Those that take more than a few values are not among them. */
export async function gapChoices(surface: Surface): Promise<readonly GapChoices[]> {
  const { components } = Object(await surface.control(control.surface.openApi));
  const { properties } = Object(Object(Object(components).schemas).SpecGaps);
  return Object.entries(Object(properties)).flatMap(([name, schema]) => {
    const { enum: values } = Object(schema);
    return Array.isArray(values) ? [[name, values] as const] : [];
  });
}
