import { join } from 'node:path'

/** The root folder of the project. */
export const root = join(import.meta.dir, '..', '..')
