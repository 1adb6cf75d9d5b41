import { ValidationError } from '../model/error.ts'
import { workbookCsv } from '../runs/upload/workbook.ts'
import type { WorkbookJob, WorkbookReply } from '../runs/upload/workbook-converter.ts'

declare const self: Worker

/** Converts one workbook for each message. */
self.onmessage = async ({ data }: MessageEvent<WorkbookJob>) => {
  const reply = await replyTo(data)
  self.postMessage(reply, 'csv' in reply ? [reply.csv.buffer as ArrayBuffer] : [])
}

async function replyTo({ workbook, sheet }: WorkbookJob): Promise<WorkbookReply> {
  try {
    return { csv: await workbookCsv(workbook, sheet) }
  } catch (error) {
    if (error instanceof ValidationError) return { violations: error.violations }
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
