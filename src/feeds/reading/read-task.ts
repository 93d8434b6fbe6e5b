/** What is read in a thread where it is long: see feed-reader.ts. */
import { readDocument, type DocumentReading, type FetchedDocument } from './read-document.ts'
import { readFeedFile, type FeedFile, type FileReading } from './read-feed-file.ts'

export type ReadTask = { readonly kind: 'document'; readonly input: FetchedDocument } | { readonly kind: 'file'; readonly input: FeedFile }

export function runReadTask(task: ReadTask): DocumentReading | FileReading {
  return task.kind === 'document' ? readDocument(task.input) : readFeedFile(task.input)
}
