// oxlint-disable-next-line typescript/triple-slash-reference -- The types of the page, which reach this file, need it too.
/// <reference path="./epsg-list.d.ts" />
import text from 'proj4-list/dist/list.min.js' with { type: 'text' }

/**
 * Returns the definitions of EPSG codes, as text. In the executable, the build replaces this file: there the text is
 * compressed, and is decompressed at the first call.
 */
export const epsgDefinitions = (): string => text
