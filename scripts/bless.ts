import * as contents from '../catalog/contents.ts'
import {
  compareContracts,
  isSufficientBump,
  contractOf,
  type CatalogContract,
} from '../src/catalog/catalog-contract.ts'

/** Takes the catalog as it is now for the promise that tests hold it to, if its version says enough about what has changed. */
const file = Bun.file(`${import.meta.dir}/../test/golden/catalog.json`)
const after = contractOf(contents)
if (await file.exists()) {
  const before = (await file.json()) as CatalogContract
  const { bump, reasons } = compareContracts(before, after)
  for (const reason of reasons) console.log(reason)
  if (!isSufficientBump(before.version, after.version, bump)) {
    throw new Error(
      `This is a ${bump} change from ${before.version}; catalog/version.ts says ${after.version}. Raise it, and write a line in catalog/CHANGELOG.md.`,
    )
  }
}
await Bun.write(file, `${JSON.stringify(after, null, 1)}\n`)
console.log(`test/golden/catalog.json holds ${Object.keys(after.fields).length} fields of version ${after.version}.`)
