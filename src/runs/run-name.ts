import { invisibleCharacters } from '../model/text.ts'

/** The longest name of a run. */
export const runNameMax_characters = 200

/** Returns the name of a run of a file: the file name without invisible characters; null if nothing remains. */
export function runNameOfFile(fileName: string): string | null {
  const name = fileName.replace(new RegExp(invisibleCharacters, 'gu'), '').trim()
  return name === '' ? null : [...name].slice(0, runNameMax_characters).join('')
}
