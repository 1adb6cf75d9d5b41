import { crc32, deflateRawSync } from 'node:zlib'
import { craftZip, deflatedZeros, type CraftedMember } from '../files/zip-bombs.ts'

/** Returns a workbook (.xlsx) with one sheet, from the XML of its rows and of its shared strings. */
export function craftWorkbook(rows: string, sharedStrings = ''): Buffer {
  return archiveOf([member('xl/worksheets/sheet1.xml', rows), member('xl/sharedStrings.xml', sharedStrings)])
}

/** Returns a workbook whose sheet inflates to this many blocks of zeros. */
export function workbookOfZeros(blocks: number): Buffer {
  const { deflated, size } = deflatedZeros(blocks)
  return archiveOf([{ name: 'xl/worksheets/sheet1.xml', deflated, declaredSize: size }])
}

function archiveOf(members: CraftedMember[]): Buffer {
  return craftZip([
    member('xl/workbook.xml', '<workbook><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>'),
    member(
      'xl/_rels/workbook.xml.rels',
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
    ),
    ...members,
  ])
}

function member(name: string, text: string): CraftedMember {
  const bytes = Buffer.from(text)
  return { name, deflated: deflateRawSync(bytes), declaredSize: bytes.length, crc: crc32(bytes) }
}
