import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { createEnglishWordCheck, type EnglishWordCheck } from '../../src/place/english-words.ts'
import { embeddedFile } from './test-service.ts'

/** The embedded dictionary. */
export const testDictionary: EnglishWordCheck = readDictionary()

function readDictionary(): EnglishWordCheck {
  const embedded = openEmbeddedData(embeddedFile)
  const words = embedded.englishWords()
  return createEnglishWordCheck({ englishWords: () => words })
}
