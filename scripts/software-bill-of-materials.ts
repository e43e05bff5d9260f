import { Factories } from '@cyclonedx/cyclonedx-library/Contrib/License';
import { ComponentScope, ComponentType } from '@cyclonedx/cyclonedx-library/Enums';
import { Bom, Component, LicenseRepository } from '@cyclonedx/cyclonedx-library/Models';
import { JSON as Json, JsonSerializer } from '@cyclonedx/cyclonedx-library/Serialize';
import { Spec1dot6 } from '@cyclonedx/cyclonedx-library/Spec';
import { PackageURL } from 'packageurl-js';
import type { BundledPackage } from './bundled-packages.js';

type NamedPackage = Pick<BundledPackage, 'name' | 'version' | 'license'> & {
  description?: string | undefined;
};

// Only plain SPDX identifiers are expected; anything else makes `makeSpdxLicense` throw, to be looked at.
const licences = new Factories.LicenseFactory(() => undefined);

/**
 * A CycloneDX 1.6 document of what is inside the bundle, for audits that see no dependencies to audit. It
 * holds neither a time nor a serial number: the same bundle gives the same bytes.
 */
export function softwareBillOfMaterials(own: NamedPackage, packages: readonly BundledPackage[]): string {
  const bom = new Bom();
  const root = component(own);
  bom.metadata.component = root;
  for (const bundled of packages) {
    const part = component(bundled);
    part.scope = ComponentScope.Required;
    bom.components.add(part);
    root.dependencies.add(part.bomRef);
  }
  const serializer = new JsonSerializer(new Json.Normalize.Factory(Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function component({ name, version, license, description }: NamedPackage): Component {
  const [group, ownName] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const purl = new PackageURL('npm', group, ownName ?? name, version, undefined, undefined).toString();
  return new Component(ComponentType.Library, ownName ?? name, {
    bomRef: purl,
    purl,
    version,
    licenses: new LicenseRepository([licences.makeSpdxLicense(license)]),
    ...(group === undefined ? {} : { group }),
    ...(description === undefined ? {} : { description }),
  });
}
