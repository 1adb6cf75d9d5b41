import { invisibleCharacters } from '../model/code-points.ts'

/** The longest name of a run. */
export const runNameMax_characters = 200

/** Returns the name of a run of a file: the file name without invisible characters; null if nothing remains. */
export function runNameOfFile(fileName: string): string | null {
  const name = fileName.replace(new RegExp(invisibleCharacters, 'gu'), '').trim()
  return name === '' ? null : [...name].slice(0, runNameMax_characters).join('')
}

/**
 * Returns the name of a result file of a run: `sites-results.csv` for the run of `sites.csv`. It has only ASCII letters,
 * digits and `._-`, so it is safe in a header and on every disk. A run without such a name has its id.
 */
export function resultFileName({ id, name }: { id: string; name: string | null }, extension: string): string {
  const base = (name ?? '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/\.[A-Za-z0-9]{1,8}$/, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
  return base === '' ? `${id}.${extension}` : `${base.slice(0, fileNameMax_characters)}-results.${extension}`
}

const fileNameMax_characters = 80
