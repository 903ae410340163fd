# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where.
include(GNUInstallDirs)
set(resources ${CMAKE_SOURCE_DIR}/resources)

install(TARGETS longpole-cli RUNTIME)
install(FILES packaging/man/longpole-cli.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${resources}/LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${resources}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/longpole
        FILES_MATCHING PATTERN "*.json" PATTERN "*.json.gz")

install(FILES core/capture/longpole_steps.h TYPE INCLUDE)
install(FILES core/capture/longpole_steps.py DESTINATION ${CMAKE_INSTALL_DATADIR}/longpole/python)
if(TARGET longpole_capture)
  install(TARGETS longpole_capture LIBRARY DESTINATION lib/longpole)
endif()

if(TARGET longpole)
  install(TARGETS longpole RUNTIME)
  install(FILES packaging/man/longpole.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${resources}/longpole.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  install(FILES ${resources}/longpole.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
  install(FILES ${resources}/longpole-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
  install(FILES ${resources}/icons/longpole.svg
          DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
endif()
