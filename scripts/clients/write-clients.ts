import { join } from 'node:path'
import { pythonClient } from './python.ts'
import { typescriptClient } from './typescript.ts'

/** Writes the clients `fieldstone.py` and `fieldstone.ts`, which the OpenAPI document defines, to a folder. */
export async function writeClients(folder: string): Promise<void> {
  await Bun.write(join(folder, 'fieldstone.py'), pythonClient())
  await Bun.write(join(folder, 'fieldstone.ts'), await typescriptClient())
}
