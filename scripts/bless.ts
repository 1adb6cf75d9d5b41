import * as contents from '../catalog/contents.ts'
import { createGoldenAnswers } from '../test/fetch/golden-answers.ts'
import { createGoldenGeocodes } from '../test/place/golden-geocodes.ts'
import { compareContracts, isSufficientBump, contractOf, type CatalogContract } from './bless/catalog-contract.ts'

/** Writes the contract of the current catalog to the golden file, if the version is raised enough for the changes. */
const file = Bun.file(`${import.meta.dir}/../test/golden/catalog.json`)
const after = contractOf(contents)
if (await file.exists()) {
  const before = (await file.json()) as CatalogContract
  const { bump, reasons } = compareContracts(before, after)
  for (const reason of reasons) console.log(reason)
  if (!isSufficientBump(before.version, after.version, bump)) {
    throw new Error(
      `This is a ${bump} change from ${before.version}, but catalog/version.ts has ${after.version}. Raise the version and add an entry to catalog/CHANGELOG.md.`,
    )
  }
}
await Bun.write(file, `${JSON.stringify(after, null, 1)}\n`)
console.log(`test/golden/catalog.json has ${Object.keys(after.fields).length} fields of version ${after.version}.`)

const answersFile = `${import.meta.dir}/../test/golden/answers.json`
await Bun.write(answersFile, `${JSON.stringify(await createGoldenAnswers(), null, 1)}\n`)
console.log('test/golden/answers.json has the hashes of the answers to seeded requests.')

const geocodesFile = `${import.meta.dir}/../test/golden/geocodes.json`
await Bun.write(geocodesFile, `${JSON.stringify(await createGoldenGeocodes(), null, 1)}\n`)
console.log('test/golden/geocodes.json has the hashes of the outcomes of addresses.')
