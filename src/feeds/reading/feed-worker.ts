/** The program of the thread that reads long documents. */
import { runTasks } from '../../base/thread.ts'
import { runReadTask } from './read-task.ts'

runTasks(runReadTask)
