/** The program of the thread that reads long documents. */
import { runTasks } from '../../base/thread.ts'
import { readDocument } from './read-document.ts'

runTasks(readDocument)
