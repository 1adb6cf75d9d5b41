/** Writes the Python and the TypeScript client in clients/ from the OpenAPI document. `npm run clients`. */
import { join } from 'node:path'
import { pythonClient } from './clients/python.ts'
import { typescriptClient } from './clients/typescript.ts'

const folder = join(import.meta.dir, '..', 'clients')
await Bun.write(join(folder, 'fieldstone.py'), pythonClient())
await Bun.write(join(folder, 'fieldstone.ts'), await typescriptClient())
