import * as contents from '../catalog/contents.ts'
import { changeOf, isEnough, promisedOf, type Promised } from '../src/catalog/change.ts'

/** Takes the catalog as it is now for the promise that tests hold it to, if its version says enough about what has changed. */
const file = Bun.file(`${import.meta.dir}/../test/golden/catalog.json`)
const after = promisedOf(contents)
if (await file.exists()) {
  const before = (await file.json()) as Promised
  const { kind, reasons } = changeOf(before, after)
  for (const reason of reasons) console.log(reason)
  if (!isEnough(before.version, after.version, kind)) {
    throw new Error(`This is a ${kind} change from ${before.version}; catalog/version.ts says ${after.version}. Raise it, and write a line in catalog/CHANGELOG.md.`)
  }
}
await Bun.write(file, `${JSON.stringify(after, null, 1)}\n`)
console.log(`test/golden/catalog.json holds ${Object.keys(after.fields).length} fields of version ${after.version}.`)
