// SPDX-License-Identifier: Apache-2.0
#include "app/cli/recorded_command.h"

#include "core/base/time.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace longpole::cli {

namespace {

using capture::ControlPage;

constexpr useconds_t kTick = 10'000;             // µs
constexpr int kTicksALine = 50, kPatience = 200; ///< in ticks
constexpr int kForwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR2};

volatile std::sig_atomic_t toForward = 0;
ControlPage *controlled = nullptr;

void forward(int signal, siginfo_t *from, void *) {
    // what the terminal sends (Ctrl+C) has reached the program as well
    if (from->si_code != SI_KERNEL) toForward = signal;
}
void toggle(int) {
    if (controlled) controlled->toggle();
}

/// What the recorded processes have counted, for people or for a program.
class Progress {
public:
    explicit Progress(const RecordedCommand &command) : m_command(command) {
        if (!command.progress.empty()) m_file = std::fopen(command.progress.c_str(), "we");
    }
    ~Progress() {
        if (m_command.liveLine) std::fputs("\r\033[K", stderr);
        if (m_file) std::fclose(m_file);
    }
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;

    void tell() {
        const ControlPage &page = *m_command.page;
        const uint64_t records = page.records, dropped = page.dropped, bytes = page.bytes;
        const int64_t rate = int64_t(double(records - m_before) * 1e6 / (kTick * kTicksALine));
        m_before = records;
        if (m_command.liveLine) {
            std::fprintf(stderr, "\r\033[KRecording: %s records/s, %s in all, %s dropped, %s MB",
                         formatCount(rate).c_str(), formatCount(int64_t(records)).c_str(),
                         formatCount(int64_t(dropped)).c_str(),
                         formatCount(int64_t(bytes >> 20)).c_str());
            std::fflush(stderr);
        }
        if (!m_file) return;
        std::fprintf(m_file,
                     "{\"records\":%llu,\"per_second\":%lld,\"dropped\":%llu,\"bytes\":%llu,"
                     "\"steps\":%llu,\"processes\":%u}\n",
                     (unsigned long long)(records), (long long)(rate),
                     (unsigned long long)(dropped), (unsigned long long)(bytes),
                     (unsigned long long)(page.steps.load()), page.processes.load());
        std::fflush(m_file);
    }

private:
    const RecordedCommand &m_command;
    std::FILE *m_file = nullptr;
    uint64_t m_before = 0;
};

Error noProcess() {
    return {ErrorKind::Impossible, "no_process",
            std::string("No process can be started: ") + std::strerror(errno) + "."};
}

void listen() {
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    action.sa_sigaction = forward;
    for (const int signal : kForwarded) sigaction(signal, &action, nullptr);
    struct sigaction pause {};
    pause.sa_flags = SA_RESTART;
    pause.sa_handler = toggle;
    sigaction(SIGUSR1, &pause, nullptr);
}

/// The status of the program when it has ended.
int waitFor(pid_t pid, const RecordedCommand &command) {
    Progress progress(command);
    const ControlPage &page = *command.page;
    int status = 0, waited = 0;
    for (int ticks = 1;; ++ticks) {
        const pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR)) return status;
        if (toForward) {
            controlled->finish();
            if (page.finished >= page.processes || ++waited > kPatience) {
                kill(pid, toForward);
                toForward = waited = 0;
            }
        }
        usleep(kTick);
        if (ticks % kTicksALine == 0) progress.tell();
    }
}

} // namespace

Control::Control() {
    std::error_code failed;
    std::string name = (std::filesystem::temp_directory_path(failed) / "longpole-XXXXXX").string();
    const int fd = mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0) return;
    m_path = name;
    if (ftruncate(fd, sizeof(ControlPage)) == 0) {
        void *page = mmap(nullptr, sizeof(ControlPage), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (page != MAP_FAILED) m_page = new (page) ControlPage{};
    }
    close(fd);
    if (!m_page) return;
    m_page->magic = ControlPage::kMagic;
    m_page->wanted = ControlPage::kRecord;
}

Control::~Control() {
    if (!m_path.empty()) unlink(m_path.c_str());
}

Result<int> runRecorded(const RecordedCommand &command) {
    std::vector<char *> words, variables;
    for (const std::string &word : command.words) words.push_back(const_cast<char *>(word.c_str()));
    for (const std::string &entry : command.environment)
        variables.push_back(const_cast<char *>(entry.c_str()));
    words.push_back(nullptr);
    variables.push_back(nullptr);
    int failure[2];
    if (pipe2(failure, O_CLOEXEC) != 0) return noProcess();
    controlled = command.page;
    listen();
    const pid_t pid = fork();
    if (pid == 0) {
        for (const int signal : kForwarded) std::signal(signal, SIG_DFL);
        std::signal(SIGUSR1, SIG_DFL);
        execvpe(words[0], words.data(), variables.data());
        const int error = errno;
        if (write(failure[1], &error, sizeof error) < 0) _exit(126);
        _exit(127);
    }
    close(failure[1]);
    if (pid < 0) {
        close(failure[0]);
        return noProcess();
    }
    int error = 0;
    const bool started = read(failure[0], &error, sizeof error) <= 0;
    close(failure[0]);
    const int status = waitFor(pid, command);
    if (!started)
        return Error{ErrorKind::Usage, "no_command",
                     command.words[0] + " cannot be run: " + std::strerror(error) + "."};
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace longpole::cli
