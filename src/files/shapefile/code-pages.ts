/** Decodes the text of a dBASE table. */
export type TableDecoder = { decode(bytes: Uint8Array): string }

/** The characters from 0x80 on of code pages of MS-DOS, which no platform decodes. */
const dosCharacters: Readonly<Record<string, string>> = {
  437: 'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00A0',
  850: 'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00AD±‗¾¶§÷¸°¨·¹³²■\u00A0',
  852: 'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00AD˝˛ˇ˘§÷¸°¨˙űŘř■\u00A0',
  863: 'ÇüéâÂà¶çêëèïî‗À§ÉÈÊôËÏûù¤ÔÜ¢£ÙÛƒ¦´óú¨¸³¯Î⌐¬½¼¾«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00A0',
  865: 'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø₧ƒáíóúñÑªº¿⌐¬½¼¡«¤░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00A0',
}

/** The code pages of the language drivers of dBASE, where they are not 1252. */
const codePages: readonly (readonly [codePage: string, drivers: readonly number[]])[] = [
  ['437', [0x01, 0x09, 0x0b, 0x0d, 0x0f, 0x11, 0x15, 0x18, 0x19, 0x1b]],
  ['850', [0x02, 0x0a, 0x0e, 0x10, 0x12, 0x14, 0x16, 0x1a, 0x1d, 0x25, 0x37]],
  ['852', [0x1f, 0x22, 0x23, 0x40, 0x64, 0x87]],
  ['863', [0x1c, 0x6c]],
  ['865', [0x08, 0x17, 0x66]],
  ['macintosh', [0x04]],
  ['ibm866', [0x26, 0x65]],
  ['shift_jis', [0x13, 0x7b]],
  ['gbk', [0x4d, 0x7a]],
  ['euc-kr', [0x4e, 0x79]],
  ['big5', [0x4f, 0x78]],
  ['windows-874', [0x50, 0x7c]],
  ['windows-1250', [0xc8]],
  ['windows-1251', [0xc9]],
  ['windows-1254', [0xca]],
  ['windows-1253', [0xcb]],
  ['windows-1257', [0xcc]],
]

/**
 * Returns the decoder of a table: by the text of its .cpg file, else by the language driver in its header. A table that
 * declares neither has UTF-8, and Windows-1252 where a text is not UTF-8, as in the programs of Esri.
 */
export function decoderOfTable(cpg: string | null, languageDriver: number): TableDecoder {
  const driver = Number(/^ldid\/(\d+)$/i.exec(cpg?.trim() ?? '')?.[1] ?? languageDriver)
  const ofDriver = driver === 0 ? 'utf-8' : (codePages.find(([, drivers]) => drivers.includes(driver))?.[0] ?? '1252')
  const declared = cpg === null || /^\s*(?:ldid|system|$)/i.test(cpg) ? ofDriver : cpg
  const name = declared
    .trim()
    .toLowerCase()
    .replace(/^(?:ansi|oem|cp|ibm|windows|codepage|[ _-])+(?=\d+$)/, '')
  if (dosCharacters[name] !== undefined) return decoderOfCharacters(dosCharacters[name])
  return name === '65001' || /^utf-?8$/.test(name) ? utf8OrWindows1252 : platformDecoder(name)
}

function decoderOfCharacters(characters: string): TableDecoder {
  return {
    decode: (bytes) =>
      Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : characters[byte - 128]!)).join(''),
  }
}

const utf8OrWindows1252: TableDecoder = {
  decode(bytes) {
    const text = new TextDecoder('utf-8').decode(bytes)
    return text.includes('\uFFFD') ? new TextDecoder('windows-1252').decode(bytes) : text
  },
}

function platformDecoder(name: string): TableDecoder {
  const label = name.replace(/^(125\d|874)$/, 'windows-$1').replace(/^(?:iso[ _-]?)?8859[ _-]?(\d+)$/, 'iso-8859-$1')
  try {
    return new TextDecoder(label as ConstructorParameters<typeof TextDecoder>[0])
  } catch {
    return new TextDecoder('windows-1252') // The code page is unknown; this is the default of Esri.
  }
}
